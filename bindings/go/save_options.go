package tonnx

// #include <tonnx.h>
import "C"

// ExternalData says where a saved model's weights are stored.
type ExternalData int32

const (
	ExternalDataAuto    ExternalData = C.TONNX_EXTERNAL_DATA_AUTO // beside the model if the model would exceed 2 GiB
	ExternalDataYes     ExternalData = C.TONNX_EXTERNAL_DATA_YES  // one file NAME.onnx.data beside the model
	ExternalDataNo      ExternalData = C.TONNX_EXTERNAL_DATA_NO   // all in one file; an error above 2 GiB
	ExternalDataArchive ExternalData = C.TONNX_EXTERNAL_DATA_ARCHIVE
	ExternalDataEach    ExternalData = C.TONNX_EXTERNAL_DATA_EACH // one file per weight, in NAME_initializers for NAME.onnx, FILE.initializers for another FILE
)

// SaveOptions for writing a model to a file. The zero value of each field is its default.
type SaveOptions struct {
	// Where the weights are stored. Default: ExternalDataAuto.
	ExternalData ExternalData

	// Follows and cancels the writing. Default: none.
	Observer *Observer
}

// build creates the C library's object; nil stays nil. The caller frees it.
func (o *SaveOptions) build() (*C.tonnx_save_options, error) {
	if o == nil {
		return nil, nil
	}
	return filled(func(made **C.tonnx_save_options, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_save_options_new(made, failure)
	}, func(made *C.tonnx_save_options) { C.tonnx_save_options_free(made) }, o.fill)
}

func (o *SaveOptions) fill(made *C.tonnx_save_options) error {
	observer, err := o.Observer.build()
	if err != nil {
		return err
	}
	defer C.tonnx_observer_free(observer)
	return try(func(failure **C.tonnx_error) C.tonnx_status {
		status := C.tonnx_save_options_set_external_data(made, C.int32_t(o.ExternalData), failure)
		if status == C.TONNX_STATUS_OK {
			status = C.tonnx_save_options_set_observer(made, observer, failure)
		}
		return status
	})
}
