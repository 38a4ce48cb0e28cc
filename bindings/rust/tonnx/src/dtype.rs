//! Element types.
use std::fmt;
use std::str::FromStr;

use tonnx_sys as sys;

use crate::error::{Error, Result};
use crate::handle::{borrowed_text, c_text};

macro_rules! dtypes {
    ($($name:ident = $raw:ident,)*) => {
        /// The type of a tensor's elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Dtype {
            $(#[doc = concat!("`", stringify!($raw), "` of the C API.")] $name,)*
        }

        impl Dtype {
            pub(crate) fn raw(self) -> sys::tonnx_dtype {
                match self {
                    $(Dtype::$name => sys::$raw,)*
                }
            }

            /// Values unknown to this version are `Undefined`.
            pub(crate) fn from_raw(raw: sys::tonnx_dtype) -> Self {
                match raw {
                    $(sys::$raw => Dtype::$name,)*
                    _ => Dtype::Undefined,
                }
            }

            #[cfg(test)]
            const ALL: &'static [Dtype] = &[$(Dtype::$name,)*];
        }
    };
}

dtypes! {
    UInt8 = TONNX_DTYPE_UINT8,
    Int8 = TONNX_DTYPE_INT8,
    Int16 = TONNX_DTYPE_INT16,
    Int32 = TONNX_DTYPE_INT32,
    Int64 = TONNX_DTYPE_INT64,
    Float16 = TONNX_DTYPE_FLOAT16,
    Float32 = TONNX_DTYPE_FLOAT32,
    Float64 = TONNX_DTYPE_FLOAT64,
    Complex32 = TONNX_DTYPE_COMPLEX32,
    Complex64 = TONNX_DTYPE_COMPLEX64,
    Complex128 = TONNX_DTYPE_COMPLEX128,
    Bool = TONNX_DTYPE_BOOL,
    QInt8 = TONNX_DTYPE_QINT8,
    QUInt8 = TONNX_DTYPE_QUINT8,
    QInt32 = TONNX_DTYPE_QINT32,
    BFloat16 = TONNX_DTYPE_BFLOAT16,
    Float8E5M2 = TONNX_DTYPE_FLOAT8E5M2,
    Float8E4M3Fn = TONNX_DTYPE_FLOAT8E4M3FN,
    Float8E5M2Fnuz = TONNX_DTYPE_FLOAT8E5M2FNUZ,
    Float8E4M3Fnuz = TONNX_DTYPE_FLOAT8E4M3FNUZ,
    Undefined = TONNX_DTYPE_UNDEFINED,
    UInt16 = TONNX_DTYPE_UINT16,
    UInt32 = TONNX_DTYPE_UINT32,
    UInt64 = TONNX_DTYPE_UINT64,
    Int4 = TONNX_DTYPE_INT4,
    UInt4 = TONNX_DTYPE_UINT4,
    Int2 = TONNX_DTYPE_INT2,
    UInt2 = TONNX_DTYPE_UINT2,
    Float4E2M1 = TONNX_DTYPE_FLOAT4E2M1,
    Float8E8M0 = TONNX_DTYPE_FLOAT8E8M0,
}

impl Dtype {
    /// "float32", "int64", ...
    ///
    /// # Panics
    /// If the library cannot be loaded; see [`load`](crate::load).
    pub fn name(self) -> &'static str {
        // SAFETY: the names are constants of the library.
        unsafe { borrowed_text(sys::tonnx_dtype_name(self.raw())) }
    }

    /// Bits per element; 0 for `Undefined`. Elements of 4 and 2 bits are packed, the first one in the lowest bits of a
    /// byte.
    ///
    /// # Panics
    /// If the library cannot be loaded; see [`load`](crate::load).
    pub fn bits(self) -> usize {
        // SAFETY: takes a number.
        unsafe { sys::tonnx_dtype_bits(self.raw()) }
    }

    /// Bytes per element; 0 for `Undefined` and for elements of less than 8 bits.
    ///
    /// # Panics
    /// If the library cannot be loaded; see [`load`](crate::load).
    pub fn size(self) -> usize {
        // SAFETY: takes a number.
        unsafe { sys::tonnx_dtype_size(self.raw()) }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Parses the names of [`Dtype::name`], also "float", "half", "long", "f32".
impl FromStr for Dtype {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        crate::load()?;
        let text = c_text(name)?;
        // SAFETY: the text lives during the call.
        match Self::from_raw(unsafe { sys::tonnx_dtype_from_name(text.as_ptr()) }) {
            Dtype::Undefined => Err(Error::argument(format!("{name:?} is not a dtype"))),
            dtype => Ok(dtype),
        }
    }
}

/// A Rust type that a tensor's elements can be.
pub trait Element: Copy + Send + 'static + sealed::Sealed {
    /// The dtype of tensors with these elements.
    const DTYPE: Dtype;
}

pub(crate) mod sealed {
    // Its name is private, so that no other crate implements Element.
    #[allow(unnameable_types)]
    pub trait Sealed: Sized {
        /// Reads `size_of::<Self>()` bytes.
        fn read(bytes: &[u8]) -> Self;
    }
}

macro_rules! elements {
    ($($rust:ty = $name:ident,)*) => {$(
        impl Element for $rust {
            const DTYPE: Dtype = Dtype::$name;
        }

        impl sealed::Sealed for $rust {
            fn read(bytes: &[u8]) -> Self {
                <$rust>::from_ne_bytes(bytes.try_into().expect("one element's bytes"))
            }
        }
    )*};
}

elements! {
    u8 = UInt8, i8 = Int8, i16 = Int16, i32 = Int32, i64 = Int64,
    u16 = UInt16, u32 = UInt32, u64 = UInt64, f32 = Float32, f64 = Float64,
}

impl Element for bool {
    const DTYPE: Dtype = Dtype::Bool;
}

impl sealed::Sealed for bool {
    fn read(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dtype_is_read_back_from_its_name_and_number() {
        for dtype in Dtype::ALL {
            assert_eq!(Dtype::from_raw(dtype.raw()), *dtype);
            match dtype {
                Dtype::Undefined => assert_eq!((dtype.name(), dtype.size()), ("undefined", 0)),
                _ => assert_eq!((dtype.name().parse::<Dtype>().unwrap(), dtype.bits() > 0), (*dtype, true)),
            }
        }
        assert_eq!(Dtype::from_raw(1000), Dtype::Undefined);
        assert!("float33".parse::<Dtype>().is_err());
    }

    #[test]
    fn elements_have_the_size_of_their_dtype() {
        fn check<T: Element>() {
            assert_eq!(std::mem::size_of::<T>(), T::DTYPE.size(), "{}", T::DTYPE);
        }
        check::<u8>();
        check::<i8>();
        check::<u16>();
        check::<i16>();
        check::<u32>();
        check::<i32>();
        check::<u64>();
        check::<i64>();
        check::<f32>();
        check::<f64>();
        check::<bool>();
    }
}
