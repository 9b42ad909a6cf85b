// What help() says of the functions and types of the core that are not operations.
#pragma once

namespace chainrule::documents {

// ---- types

inline constexpr const char* kTensor = R"(A multi-dimensional array that remembers how it was calculated.

    >>> x = torch.tensor([1., 2.], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.]))";

inline constexpr const char* kSize = R"(The sizes of a tensor's dimensions: a tuple of ints.

    >>> torch.ones(2, 3).shape
    torch.Size([2, 3])
    >>> torch.Size([2, 3]).numel()
    6)";

inline constexpr const char* kDType = R"(The type of the elements of a tensor: float32, int64 ...

    >>> torch.tensor([1, 2]).dtype
    torch.int64
    >>> torch.float16.itemsize
    2)";

inline constexpr const char* kDevice = R"(Where the elements of a tensor live: device("cpu").

    >>> torch.device("cpu")
    device(type='cpu'))";

inline constexpr const char* kLayout = R"(How the elements lie in memory: strided or, in PyTorch, sparse.

    >>> torch.ones(2).layout
    torch.strided)";

inline constexpr const char* kMemoryFormat = R"(The order of the dimensions in memory.

    >>> torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last).stride()
    (24, 1, 8, 2))";

inline constexpr const char* kStorage = R"(The bytes behind one or more tensors.

    >>> torch.ones(3).untyped_storage().nbytes()
    12)";

inline constexpr const char* kNode = R"(A recorded operation: its gradient function, its inputs and what it saved.

    >>> y = torch.ones(1, requires_grad=True) * 2
    >>> y.grad_fn.name()
    'MulBackward0')";

// ---- functions

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

inline constexpr const char* kSetThresholds = R"(From which size on tensors are calculated in clever ways.

Large elementwise operations wait for each other and run together, gradients flow tile by tile, threads share the work.
All that gives the same bits as the plain way, which small tensors take. "least" takes the clever ways from one element
on, "never" takes none, "usual" is what pays. The variable CHAINRULE_THRESHOLDS sets it before the start.

    >>> import chainrule
    >>> chainrule.set_thresholds("usual"))";

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

inline constexpr const char* kGeneratorDevice = R"(Where the numbers are made.)";

inline constexpr const char* kGetOffset = R"(How many words of 32 bits each thread of a GPU has behind it.)";

inline constexpr const char* kSetOffset =
    R"(Sets what get_offset() gives; a multiple of 4. The CPU's stream has none.)";

}  // namespace chainrule::documents
