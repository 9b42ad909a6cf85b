// What help() says of the functions and types of the core that are not operations.
#pragma once

namespace chainrule::documents {

inline constexpr const char* kIsGradEnabled = R"(Whether operations are recorded for backward().

    >>> torch.is_grad_enabled()
    True)";

inline constexpr const char* kIsInferenceModeEnabled = R"(Whether an inference_mode() block is open.

    >>> torch.is_inference_mode_enabled()
    False)";

inline constexpr const char* kIsInference = R"(Whether the tensor was made under inference_mode().

    >>> torch.is_inference(torch.ones(2))
    False)";

inline constexpr const char* kGetNumThreads = R"(How many threads a large operation may use.

    >>> torch.get_num_threads() >= 1
    True)";

inline constexpr const char* kSetNumThreads = R"(Sets how many threads a large operation may use.

    >>> torch.set_num_threads(torch.get_num_threads()))";

inline constexpr const char* kGetDefaultDtype = R"(The dtype of floating tensors that are made from Python numbers.

    >>> torch.get_default_dtype()
    torch.float32)";

inline constexpr const char* kSetDefaultDtype = R"(Sets the dtype of floating tensors that are made from Python numbers.

    >>> torch.set_default_dtype(torch.float32))";

inline constexpr const char* kPromoteTypes =
    R"(The smallest dtype that holds the values of both, by PyTorch's order of kinds.

    >>> torch.promote_types(torch.int64, torch.float32)
    torch.float32)";

inline constexpr const char* kCanCast = R"(Whether a result of dtype `from_` may be written into a tensor of dtype `to`.

    >>> torch.can_cast(torch.float32, torch.int64)
    False)";

inline constexpr const char* kResultType = R"(The dtype of a calculation with both, which are tensors or numbers.

    >>> torch.result_type(torch.ones(2, dtype=torch.int64), 1.5)
    torch.float32)";

inline constexpr const char* kGenerator = R"(A source of random numbers with a stream of its own.

    >>> generator = torch.Generator().manual_seed(0)
    >>> torch.rand(2, generator=generator)
    tensor([0.4963, 0.7682]))";

inline constexpr const char* kManualSeed = R"(Starts the stream anew from `seed`; returns the generator.)";

inline constexpr const char* kSeed = R"(Takes a fresh non-deterministic seed and returns it.)";

inline constexpr const char* kInitialSeed = R"(The seed that the generator was last given.)";

inline constexpr const char* kGetState = R"(The state as a uint8 tensor, in PyTorch's layout.)";

inline constexpr const char* kSetState = R"(Restores a state that get_state() gave; returns the generator.)";

inline constexpr const char* kCloneState = R"(A new generator in the same state.)";

inline constexpr const char* kGeneratorDevice = R"(Where the numbers are made: the CPU.)";

}  // namespace chainrule::documents
