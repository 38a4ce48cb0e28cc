//! Tensors and arguments.
use tonnx::{Args, Dtype, Element, Status, Tensor};

#[test]
fn a_tensor_gives_back_what_it_was_made_of() {
    fn check<T: Element + PartialEq + std::fmt::Debug>(elements: [T; 4]) {
        for tensor in [Tensor::new(&[2, 2], &elements).unwrap(), Tensor::from_vec(&[2, 2], elements.to_vec()).unwrap()]
        {
            assert_eq!((tensor.dtype(), tensor.dims()), (T::DTYPE, &[2i64, 2][..]));
            assert_eq!(tensor.to_vec::<T>().unwrap(), elements);
            assert_eq!(tensor.bytes().unwrap().len(), std::mem::size_of_val(&elements));
        }
    }
    check([1u8, 2, 3, 255]);
    check([-1i8, 2, 3, 4]);
    check([-1i16, 2, 3, 4]);
    check([-1i32, 2, 3, 4]);
    check([-1i64, 2, 3, i64::MAX]);
    check([1u16, 2, 3, 4]);
    check([1u32, 2, 3, 4]);
    check([1u64, 2, 3, u64::MAX]);
    check([-0.5f32, 0.5, 1.5, f32::INFINITY]);
    check([-0.5f64, 0.5, 1.5, f64::MAX]);
    check([true, false, false, true]);
}

#[test]
fn scalars_empty_tensors_and_other_dtypes() {
    let scalar = Tensor::new(&[], &[7i64]).unwrap();
    assert_eq!((scalar.dims().len(), scalar.to_vec::<i64>().unwrap()), (0, vec![7]));
    for empty in [Tensor::new::<f32>(&[0, 3], &[]).unwrap(), Tensor::from_vec::<f32>(&[0, 3], vec![]).unwrap()] {
        assert_eq!((empty.dims(), empty.to_vec::<f32>().unwrap()), (&[0i64, 3][..], vec![]));
    }
    let half = Tensor::from_bytes(Dtype::Float16, &[1], &[0, 0x3c]).unwrap();
    assert_eq!((half.dtype().to_string(), half.bytes().unwrap()), ("float16".to_owned(), vec![0, 0x3c]));
}

#[test]
fn tensors_that_do_not_fit_are_refused() {
    let refused = |result: tonnx::Result<Tensor>| assert_eq!(result.unwrap_err().status(), Status::Argument);
    refused(Tensor::new(&[3], &[1f32]));
    refused(Tensor::new(&[-1], &[1f32]));
    refused(Tensor::from_vec(&[3], vec![1f32]));
    refused(Tensor::from_vec(&[-1, -1], vec![1f32]));
    refused(Tensor::from_vec(&[i64::MAX, 4, 0], vec![0f32; 0]));
    refused(Tensor::from_bytes(Dtype::Undefined, &[1], &[0]));
    let numbers = Tensor::new(&[1], &[1f32]).unwrap();
    assert_eq!(numbers.to_vec::<i32>().unwrap_err().status(), Status::Argument);
}

#[test]
fn arguments_nest() {
    let x = Tensor::new(&[1], &[1f32]).unwrap();
    let args = Args::new().unwrap().tensor(&x).unwrap().int(1).unwrap().float(0.5).unwrap().bool(true).unwrap();
    let args = args.string("text").unwrap().none().unwrap();
    let args = args.list(|list| list.int(1)?.tuple(|tuple| tuple.float(1.0)?.tensor(&x))).unwrap();
    let args = args.key("options").unwrap().dict(|dict| dict.key("a")?.int(1)?.key("b")?.list(Ok)).unwrap();
    assert_eq!(args.count(), 8);
}

#[test]
fn arguments_out_of_place_are_refused() {
    let refused = |result: tonnx::Result<Args>| assert_eq!(result.unwrap_err().status(), Status::Argument);
    let new = || Args::new().unwrap();
    refused(new().key("a").and_then(|args| args.int(1)).and_then(|args| args.int(2)));
    refused(new().key("a").and_then(|args| args.int(1)).and_then(|args| args.key("a")?.int(2)));
    refused(new().dict(|dict| dict.int(1)));
    refused(new().list(|list| list.key("a")?.int(1)));
    refused(new().list(|_| Args::new()));
    refused(new().string("a\0b"));
}
