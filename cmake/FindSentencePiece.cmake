# Finds SentencePiece and defines SentencePiece::SentencePiece. It does not use pkg-config: on newer
# distributions the .pc file of SentencePiece requires that of protobuf, which they do not install.
find_path(SentencePiece_INCLUDE_DIR sentencepiece_processor.h)
find_library(SentencePiece_LIBRARY sentencepiece)
find_library(SentencePiece_TRAIN_LIBRARY sentencepiece_train)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SentencePiece
  REQUIRED_VARS SentencePiece_LIBRARY SentencePiece_TRAIN_LIBRARY SentencePiece_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libsentencepiece-dev, or run scripts/install-deps")
if(SentencePiece_FOUND AND NOT TARGET SentencePiece::SentencePiece)
  add_library(SentencePiece::SentencePiece UNKNOWN IMPORTED)
  set_target_properties(SentencePiece::SentencePiece PROPERTIES
    IMPORTED_LOCATION ${SentencePiece_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SentencePiece_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES ${SentencePiece_TRAIN_LIBRARY})
endif()
mark_as_advanced(SentencePiece_INCLUDE_DIR SentencePiece_LIBRARY SentencePiece_TRAIN_LIBRARY)
