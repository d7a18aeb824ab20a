; What the functions `__spelt_*` of spelt-kernels-gpu are on a device.
;
; `convergent` keeps LLVM from moving an operation into or out of a branch, which would change who takes part in it.

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Where a failing kernel reports: the host sets it to the device address of a record, 0 where there is none.
@spelt_failure = addrspace(1) externally_initialized global i64 0, align 8
; Dynamic shared memory: its size is the launch's.
@spelt_shared = external addrspace(3) global [0 x i8], align 16
; The number of the launch, the same for all threads of a block.
@spelt_launch = internal addrspace(3) global i32 undef, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.up.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.activemask()
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.membar.sys()
declare void @llvm.trap()

define i32 @__spelt_thread() alwaysinline nounwind {
  %number = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %number
}

define i32 @__spelt_block() alwaysinline nounwind {
  %number = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ret i32 %number
}

define i32 @__spelt_block_threads() alwaysinline nounwind {
  %count = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %count
}

define i32 @__spelt_grid_blocks() alwaysinline nounwind {
  %count = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  ret i32 %count
}

; `barrier.sync`, not `bar.sync`: the latter wants all threads of a warp at the same instruction.
define void @__spelt_barrier() alwaysinline convergent nounwind {
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) convergent
  ret void
}

define void @__spelt_warp_barrier(i32 %mask) alwaysinline convergent nounwind {
  call void @llvm.nvvm.bar.warp.sync(i32 %mask) convergent
  ret void
}

; The last operand of a shuffle: segments of 32 lanes, and where a segment ends (31, or 0 upwards).
; Words may be uninitialised: they are frozen before they are used as numbers.
define i32 @__spelt_shuffle(i32 %mask, i32 %value, i32 %lane) alwaysinline convergent nounwind {
  %word = freeze i32 %value
  %moved = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %mask, i32 %word, i32 %lane, i32 31) convergent
  ret i32 %moved
}

define i32 @__spelt_shuffle_down(i32 %mask, i32 %value, i32 %delta) alwaysinline convergent nounwind {
  %word = freeze i32 %value
  %moved = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 %mask, i32 %word, i32 %delta, i32 31) convergent
  ret i32 %moved
}

define i32 @__spelt_shuffle_up(i32 %mask, i32 %value, i32 %delta) alwaysinline convergent nounwind {
  %word = freeze i32 %value
  %moved = call i32 @llvm.nvvm.shfl.sync.up.i32(i32 %mask, i32 %word, i32 %delta, i32 0) convergent
  ret i32 %moved
}

; The test and the complement are instructions of their own: LLVM makes five of them for a bit, with shifts of the number. The complement also
; has lanes outside the mask, which are left out.
define i32 @__spelt_alike(i32 %mask, i32 %number) alwaysinline convergent nounwind {
  %predicate = call i1 asm "setp.ne.b32 $0, $1, 0;", "=b,r"(i32 %number)
  %lanes = call i32 @llvm.nvvm.vote.ballot.sync(i32 %mask, i1 %predicate) convergent
  %alike = call i32 asm "@!$2 not.b32 $0, $0;", "=r,0,b"(i32 %lanes, i1 %predicate)
  %within = and i32 %alike, %mask
  ret i32 %within
}

define i32 @__spelt_active_lanes() alwaysinline convergent nounwind {
  %lanes = call i32 @llvm.nvvm.activemask() convergent
  ret i32 %lanes
}

; LLVM does not look into the instruction, and does not move a call in front of the branch that it is in.
define i32 @__spelt_here(i32 %number) alwaysinline nounwind {
  %same = call i32 asm "mov.b32 $0, $1;", "=r,r"(i32 %number) nounwind memory(none)
  ret i32 %same
}

define ptr @__spelt_shared() alwaysinline nounwind {
  ret ptr addrspacecast (ptr addrspace(3) @spelt_shared to ptr)
}

define void @__spelt_fence() alwaysinline nounwind {
  call void @llvm.nvvm.membar.gl()
  ret void
}

define void @__spelt_fence_system() alwaysinline nounwind {
  call void @llvm.nvvm.membar.sys()
  ret void
}

define ptr @__spelt_failure_record() alwaysinline nounwind {
  %address = load i64, ptr addrspace(1) @spelt_failure, align 8
  %record = inttoptr i64 %address to ptr
  ret ptr %record
}

define void @__spelt_launch_number(i32 %number) alwaysinline nounwind {
  store atomic i32 %number, ptr addrspace(3) @spelt_launch monotonic, align 4
  ret void
}

define i32 @__spelt_launch() alwaysinline nounwind {
  %number = load atomic i32, ptr addrspace(3) @spelt_launch monotonic, align 4
  ret i32 %number
}

; Passes look through this intrinsic, which changes nothing; `unwritten.rs` finds it when they are done.
declare ptr @llvm.strip.invariant.group.p0(ptr)

define ptr @__spelt_unwritten(ptr %pointer) alwaysinline nounwind {
  %unwritten = call ptr @llvm.strip.invariant.group.p0(ptr %pointer)
  ret ptr %unwritten
}

define zeroext i1 @__spelt_on_device() alwaysinline nounwind {
  ret i1 true
}

; Hints of hosts to a processor that waits: a device lets other warps run anyway.
define void @__spelt_pause() alwaysinline nounwind {
  ret void
}

define void @__spelt_pause_of_kind(i32 %kind) alwaysinline nounwind {
  ret void
}

define void @__spelt_trap() alwaysinline nounwind {
  call void @llvm.trap()
  ret void
}

; Integer powers: the very multiplications of compiler-rt's `__powidf2`, which the host calls.
define double @__spelt_math_powi(double %base, i32 %exponent) nounwind {
entry:
  %negative = icmp slt i32 %exponent, 0
  br label %loop
loop:
  %square = phi double [ %base, %entry ], [ %squared, %next ]
  %product = phi double [ 1.0, %entry ], [ %taken, %next ]
  %left = phi i32 [ %exponent, %entry ], [ %halved, %next ]
  %odd = trunc i32 %left to i1
  %multiplied = fmul double %product, %square
  %taken = select i1 %odd, double %multiplied, double %product
  %halved = sdiv i32 %left, 2
  %done = icmp eq i32 %halved, 0
  br i1 %done, label %exit, label %next
next:
  %squared = fmul double %square, %square
  br label %loop
exit:
  %reciprocal = fdiv double 1.0, %taken
  %result = select i1 %negative, double %reciprocal, double %taken
  ret double %result
}

define float @__spelt_math_powif(float %base, i32 %exponent) nounwind {
entry:
  %negative = icmp slt i32 %exponent, 0
  br label %loop
loop:
  %square = phi float [ %base, %entry ], [ %squared, %next ]
  %product = phi float [ 1.0, %entry ], [ %taken, %next ]
  %left = phi i32 [ %exponent, %entry ], [ %halved, %next ]
  %odd = trunc i32 %left to i1
  %multiplied = fmul float %product, %square
  %taken = select i1 %odd, float %multiplied, float %product
  %halved = sdiv i32 %left, 2
  %done = icmp eq i32 %halved, 0
  br i1 %done, label %exit, label %next
next:
  %squared = fmul float %square, %square
  br label %loop
exit:
  %reciprocal = fdiv float 1.0, %taken
  %result = select i1 %negative, float %reciprocal, float %taken
  ret float %result
}

; C's functions on memory, for code that calls them by name. Comparisons of small constant lengths unroll.
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1 immarg)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)

define ptr @memcpy(ptr %to, ptr %from, i64 %count) nounwind {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %count, i1 false)
  ret ptr %to
}

define ptr @memmove(ptr %to, ptr %from, i64 %count) nounwind {
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %count, i1 false)
  ret ptr %to
}

define ptr @memset(ptr %to, i32 %value, i64 %count) nounwind {
  %byte = trunc i32 %value to i8
  call void @llvm.memset.p0.i64(ptr %to, i8 %byte, i64 %count, i1 false)
  ret ptr %to
}

define i32 @memcmp(ptr %left, ptr %right, i64 %count) nounwind memory(argmem: read) {
entry:
  %empty = icmp eq i64 %count, 0
  br i1 %empty, label %same, label %loop
loop:
  %place = phi i64 [ 0, %entry ], [ %after, %next ]
  %left.at = getelementptr inbounds i8, ptr %left, i64 %place
  %right.at = getelementptr inbounds i8, ptr %right, i64 %place
  %left.byte = load i8, ptr %left.at, align 1
  %right.byte = load i8, ptr %right.at, align 1
  %equal = icmp eq i8 %left.byte, %right.byte
  br i1 %equal, label %next, label %differ
next:
  %after = add nuw i64 %place, 1
  %end = icmp eq i64 %after, %count
  br i1 %end, label %same, label %loop
differ:
  %left.wide = zext i8 %left.byte to i32
  %right.wide = zext i8 %right.byte to i32
  %difference = sub nsw i32 %left.wide, %right.wide
  ret i32 %difference
same:
  ret i32 0
}

define i32 @bcmp(ptr %left, ptr %right, i64 %count) nounwind memory(argmem: read) {
  %difference = call i32 @memcmp(ptr %left, ptr %right, i64 %count)
  ret i32 %difference
}

define i64 @strlen(ptr %text) nounwind memory(argmem: read) {
entry:
  br label %loop
loop:
  %place = phi i64 [ 0, %entry ], [ %after, %loop ]
  %at = getelementptr inbounds i8, ptr %text, i64 %place
  %byte = load i8, ptr %at, align 1
  %end = icmp eq i8 %byte, 0
  %after = add nuw i64 %place, 1
  br i1 %end, label %exit, label %loop
exit:
  ret i64 %place
}
