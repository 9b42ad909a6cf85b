"""Help. What a tensor says of itself, its memory and its gradient, and its conversions."""

TEXT = """
clone
    A copy with memory of its own; gradients flow through it.
    Shape and dtype: Those of the input.
    >>> torch.clone(torch.tensor([1., 2.]))
    tensor([1., 2.])
numel
    The number of elements.
    Shape and dtype: Any tensor. The result is an int.
    Derivative: none, the result is an int
    >>> torch.numel(torch.zeros(2, 3))
    6
get_device
    The number of the device that the tensor lives on: -1 for the CPU.
    Shape and dtype: Any tensor. The result is an int.
    Derivative: none, the result is an int
    >>> torch.get_device(torch.zeros(2))
    -1
backward
    Adds the gradient of this tensor into the .grad of the leaves that it was calculated from. With more than one
    element, `gradient` says what they count for.
    Shape and dtype: One element, or a `gradient` of the tensor's shape; floating or complex.
    Derivative: this is what calculates it; with `create_graph` the gradients can be differentiated again
    >>> x = torch.tensor(3., requires_grad=True)
    >>> (x * x).backward()
    >>> x.grad
    tensor(6.)
requires_grad_
    Says whether gradients shall flow to this leaf, and returns the tensor.
    Shape and dtype: Any shape; floating or complex.
    Derivative: none, the values stay as they are
    >>> torch.ones(2).requires_grad_()
    tensor([1., 1.], requires_grad=True)
retain_grad
    Makes backward() keep the gradient of this tensor in .grad although it is no leaf.
    Shape and dtype: Any shape; floating or complex.
    Derivative: none, the values stay as they are
    >>> x = torch.ones(2, requires_grad=True)
    >>> y = x * 2
    >>> y.retain_grad()
    >>> y.sum().backward()
    >>> y.grad
    tensor([1., 1.])
item
    The one element as a Python number.
    Shape and dtype: One element; bool, int, float or complex by the dtype.
    Derivative: none, a Python number has no history
    >>> torch.tensor([2.5]).item()
    2.5
tolist
    The elements as nested lists of Python numbers.
    Shape and dtype: Any tensor; lists as deep as it has dimensions.
    Derivative: none, Python numbers have no history
    >>> torch.tensor([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
to
    The tensor with another dtype, or with the dtype of another tensor; the tensor itself where nothing changes and no
    `copy` is asked for. The device may be the CPU only.
    Shape and dtype: The shape of the input; the dtype given.
    >>> torch.tensor([1.7, -2.]).to(torch.int64)
    tensor([ 1, -2])
type
    Without an argument the name of the tensor's type; with a dtype or such a name, the tensor converted.
    Shape and dtype: The shape of the input; the dtype given.
    Derivative: g converted back
    >>> torch.tensor([1.]).type()
    'torch.FloatTensor'
float
    The tensor converted to float32.
    Shape and dtype: The shape of the input; float32.
    Derivative: g converted back
    >>> torch.tensor([1, 2]).float()
    tensor([1., 2.])
double
    The tensor converted to float64.
    Shape and dtype: The shape of the input; float64.
    Derivative: g converted back
    >>> torch.tensor([1, 2]).double()
    tensor([1., 2.], dtype=torch.float64)
half
    The tensor converted to float16.
    Shape and dtype: The shape of the input; float16.
    Derivative: g converted back
    >>> torch.tensor([1, 2]).half()
    tensor([1., 2.], dtype=torch.float16)
bfloat16
    The tensor converted to bfloat16.
    Shape and dtype: The shape of the input; bfloat16.
    Derivative: g converted back
    >>> torch.tensor([1, 2]).bfloat16()
    tensor([1., 2.], dtype=torch.bfloat16)
chalf
    The tensor as complex32, whose parts are float16. It is for storing numbers: little is calculated with it.
    Shape and dtype: The shape of the input; complex32.
    Derivative: g converted back
    >>> torch.tensor([1, 2]).chalf()
    tensor([1.+0.j, 2.+0.j], dtype=torch.complex32)
cfloat
    The tensor converted to complex64.
    Shape and dtype: The shape of the input; complex64.
    Derivative: g converted back
    >>> torch.tensor([1, 2]).cfloat()
    tensor([1.+0.j, 2.+0.j])
cdouble
    The tensor converted to complex128.
    Shape and dtype: The shape of the input; complex128.
    Derivative: g converted back
    >>> torch.tensor([1, 2]).cdouble()
    tensor([1.+0.j, 2.+0.j], dtype=torch.complex128)
bool
    Whether each element is not zero.
    Shape and dtype: The shape of the input; bool.
    Derivative: none, the result is bool
    >>> torch.tensor([0., 0.5]).bool()
    tensor([False,  True])
byte
    The tensor converted to uint8.
    Shape and dtype: The shape of the input; uint8.
    Derivative: none, the result is of integers
    >>> torch.tensor([1., 2.5]).byte()
    tensor([1, 2], dtype=torch.uint8)
char
    The tensor converted to int8.
    Shape and dtype: The shape of the input; int8.
    Derivative: none, the result is of integers
    >>> torch.tensor([1., -2.5]).char()
    tensor([ 1, -2], dtype=torch.int8)
short
    The tensor converted to int16.
    Shape and dtype: The shape of the input; int16.
    Derivative: none, the result is of integers
    >>> torch.tensor([1., -2.5]).short()
    tensor([ 1, -2], dtype=torch.int16)
int
    The tensor converted to int32.
    Shape and dtype: The shape of the input; int32.
    Derivative: none, the result is of integers
    >>> torch.tensor([1., -2.5]).int()
    tensor([ 1, -2], dtype=torch.int32)
long
    The tensor converted to int64.
    Shape and dtype: The shape of the input; int64.
    Derivative: none, the result is of integers
    >>> torch.tensor([1., -2.5]).long()
    tensor([ 1, -2])
cpu
    The tensor on the CPU: itself.
    Shape and dtype: Those of the input.
    Derivative: g
    >>> torch.tensor([1., 2.]).cpu()
    tensor([1., 2.])
contiguous
    The tensor with its elements in memory in order: itself where they are, else a copy.
    Shape and dtype: Those of the input.
    Derivative: g
    >>> torch.ones(2, 3).t().contiguous().stride()
    (2, 1)
is_contiguous
    Whether the elements lie in memory in order, in the given memory format.
    Shape and dtype: Any tensor. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> torch.ones(2, 3).t().is_contiguous()
    False
is_set_to
    Whether both tensors show the same memory in the same way.
    Shape and dtype: Any tensors. The result is a Python bool.
    Derivative: none, the result is a bool
    >>> x = torch.ones(2)
    >>> x.is_set_to(x.view(2))
    True
size
    The sizes of all dimensions, or that of `dim`.
    Shape and dtype: Any tensor. The result is a Size, or an int.
    Derivative: none, the result is of ints
    >>> torch.ones(2, 3).size()
    torch.Size([2, 3])
dim
    The number of dimensions.
    Shape and dtype: Any tensor. The result is an int.
    Derivative: none, the result is an int
    >>> torch.ones(2, 3).dim()
    2
ndimension = dim
nelement = numel
element_size
    How many bytes an element has.
    Shape and dtype: Any tensor. The result is an int.
    Derivative: none, the result is an int
    >>> torch.ones(2).element_size()
    4
stride
    How many elements further in memory the next one along each dimension is, or along `dim`.
    Shape and dtype: Any tensor. The result is a tuple, or an int.
    Derivative: none, the result is of ints
    >>> torch.ones(2, 3).stride()
    (3, 1)
storage_offset
    How many elements into its storage the tensor begins.
    Shape and dtype: Any tensor. The result is an int.
    Derivative: none, the result is an int
    >>> torch.arange(4)[2:].storage_offset()
    2
data_ptr
    The address of the first element.
    Shape and dtype: Any tensor. The result is an int.
    Derivative: none, the result is an int
    >>> x = torch.ones(2)
    >>> x.data_ptr() == x.view(2).data_ptr()
    True
const_data_ptr
    The address of the first element, for reading only.
    Shape and dtype: Any tensor. The result is an int.
    Derivative: none, the result is an int
    >>> x = torch.ones(2)
    >>> x.const_data_ptr() == x.data_ptr()
    True
untyped_storage
    The bytes behind the tensor, which its views share.
    Shape and dtype: Any tensor. The result is an UntypedStorage.
    Derivative: none, the result is no tensor
    >>> torch.ones(2).untyped_storage().nbytes()
    8
new_tensor
    A new tensor that holds a copy of `data`, with the dtype of this one.
    Shape and dtype: The shape of the data; the dtype of the input, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.ones(2, dtype=torch.float64).new_tensor([1, 2])
    tensor([1., 2.], dtype=torch.float64)
new_zeros
    Zeros with the dtype of this tensor.
    Shape and dtype: The sizes given; the dtype of the input, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.tensor([1, 2]).new_zeros(2, 2)
    tensor([[0, 0],
            [0, 0]])
new_ones
    Ones with the dtype of this tensor.
    Shape and dtype: The sizes given; the dtype of the input, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.tensor([1, 2]).new_ones(2, 2)
    tensor([[1, 1],
            [1, 1]])
new_full
    `fill_value` everywhere, with the dtype of this tensor.
    Shape and dtype: The sizes given; the dtype of the input, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.tensor([1, 2]).new_full((2,), 7)
    tensor([7, 7])
new_empty
    An empty tensor with the dtype of this one.
    Shape and dtype: The sizes given; the dtype of the input, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.tensor([1, 2]).new_empty(2, 2).shape
    torch.Size([2, 2])
new_empty_strided
    An empty tensor with the given strides and the dtype of this one.
    Shape and dtype: The sizes given; the dtype of the input, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.tensor([1, 2]).new_empty_strided((2, 2), (1, 2)).stride()
    (1, 2)
resize_
    Gives the tensor another shape in place, with more memory if needed, and returns it; new elements are whatever the
    memory held.
    Shape and dtype: The sizes given; the dtype of the input.
    Derivative: none; a tensor that requires a gradient cannot be resized
    >>> torch.arange(4).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
resize_as_
    resize_ to the shape of another tensor.
    Shape and dtype: The shape of the other tensor; the dtype of the input.
    Derivative: none; a tensor that requires a gradient cannot be resized
    >>> torch.arange(4).resize_as_(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
set_
    Makes the tensor show the memory of another tensor or storage, and returns it.
    Shape and dtype: The sizes of the source, or those given; the dtype of the input.
    Derivative: none, the memory is another one
    >>> torch.zeros(0).set_(torch.ones(2))
    tensor([1., 1.])
detach_
    Cuts the tensor from its history, and returns it.
    Shape and dtype: Those of the input.
    Derivative: none, the history is cut
    >>> (torch.ones(2, requires_grad=True) * 2).detach_()
    tensor([2., 2.])
"""
