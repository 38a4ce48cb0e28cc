#pragma once

#include <span>

#include "lower/registry.h"

// The operator tables, one for each family. Each is defined in the file of its name and listed in registry.cpp.
namespace tonnx::lower {

std::span<const Row> activation_rows();
std::span<const Row> arithmetic_rows();
std::span<const Row> attention_rows();
std::span<const Row> bessel_rows();
std::span<const Row> bit_rows();
std::span<const Row> cast_rows();
std::span<const Row> classification_loss_rows();
std::span<const Row> comparison_rows();
std::span<const Row> complex_arithmetic_rows();
std::span<const Row> complex_container_rows();
std::span<const Row> complex_function_rows();
std::span<const Row> complex_lu_rows();
std::span<const Row> complex_householder_rows();
std::span<const Row> complex_jacobi_rows();
std::span<const Row> complex_matrix_rows();
std::span<const Row> complex_parts_rows();
std::span<const Row> complex_product_rows();
std::span<const Row> complex_solution_rows();
std::span<const Row> complex_statistics_rows();
std::span<const Row> complex_view_rows();
std::span<const Row> container_rows();
std::span<const Row> control_rows();
std::span<const Row> convolution_rows();
std::span<const Row> counting_rows();
std::span<const Row> covariance_rows();
std::span<const Row> creation_rows();
std::span<const Row> cumulative_rows();
std::span<const Row> deformable_rows();
std::span<const Row> distance_rows();
std::span<const Row> distribution_rows();
std::span<const Row> embedding_rows();
std::span<const Row> error_function_rows();
std::span<const Row> fourier_rows();
std::span<const Row> gamma_rows();
std::span<const Row> gradient_rows();
std::span<const Row> grid_rows();
std::span<const Row> grouped_product_rows();
std::span<const Row> householder_rows();
std::span<const Row> indexing_rows();
std::span<const Row> integers_rows();
std::span<const Row> integration_rows();
std::span<const Row> joining_rows();
std::span<const Row> linear_rows();
std::span<const Row> loss_rows();
std::span<const Row> lu_rows();
std::span<const Row> matrix_function_rows();
std::span<const Row> normalisation_rows();
std::span<const Row> observer_rows();
std::span<const Row> ordering_rows();
std::span<const Row> orthogonal_rows();
std::span<const Row> padding_rows();
std::span<const Row> permutation_rows();
std::span<const Row> pooling_rows();
std::span<const Row> product_rows();
std::span<const Row> quantile_rows();
std::span<const Row> quantised_recurrent_rows();
std::span<const Row> quantisation_rows();
std::span<const Row> rearrangement_rows();
std::span<const Row> recurrent_rows();
std::span<const Row> reduction_rows();
std::span<const Row> region_pooling_rows();
std::span<const Row> resize_rows();
std::span<const Row> scalar_rows();
std::span<const Row> scatter_rows();
std::span<const Row> segments_rows();
std::span<const Row> sequence_loss_rows();
std::span<const Row> shape_rows();
std::span<const Row> short_time_fourier_rows();
std::span<const Row> slicing_rows();
std::span<const Row> spectral_rows();
std::span<const Row> splitting_rows();
std::span<const Row> statistics_rows();
std::span<const Row> suppression_rows();
std::span<const Row> triangular_rows();
std::span<const Row> unary_rows();
std::span<const Row> unpooling_rows();
std::span<const Row> view_scatter_rows();
std::span<const Row> windows_rows();

}  // namespace tonnx::lower
