import { expect, test } from 'vitest';
import { isHardwareRenderer } from './hardwareRenderer.ts';

// Names as browsers report them: Chrome and Edge through ANGLE, Firefox as a class of cards, Safari without a model.
test.each([
  'ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 (0x00002504) Direct3D11 vs_5_0 ps_5_0, D3D11)',
  'ANGLE (NVIDIA Corporation, NVIDIA GeForce GTX 1050 Ti/PCIe/SSE2, OpenGL 4.5.0 NVIDIA 535.183.01)',
  'ANGLE (NVIDIA, Vulkan 1.3.242 (NVIDIA NVIDIA RTX A2000 (0x00002531)), NVIDIA)',
  'ANGLE (AMD, AMD Radeon(TM) Graphics (0x00001638) Direct3D11 vs_5_0 ps_5_0, D3D11)',
  'ANGLE (AMD, AMD Radeon Graphics (radeonsi, renoir, LLVM 15.0.7, DRM 3.54, 6.5.0-44-generic), OpenGL 4.6)',
  'ANGLE (ATI Technologies Inc., AMD Radeon Pro 5500M OpenGL Engine, OpenGL 4.1)',
  'ANGLE (Intel, Intel(R) UHD Graphics 620 (0x00005917) Direct3D11 vs_5_0 ps_5_0, D3D11)',
  'ANGLE (Intel, Mesa Intel(R) Xe Graphics (TGL GT2), OpenGL 4.6)',
  'ANGLE (Intel Inc., Intel(R) Iris(TM) Plus Graphics OpenGL Engine, OpenGL 4.1)',
  'ANGLE (Apple, ANGLE Metal Renderer: Apple M1 Pro, Unspecified Version)',
  'ANGLE (Apple, Apple M2, OpenGL 4.1 Metal - 88)',
  'ANGLE (Qualcomm, Adreno (TM) 690 (0x00043051) Direct3D11 vs_5_0 ps_5_0, D3D11)',
  'D3D12 (NVIDIA GeForce RTX 3060 Laptop GPU)',
  'Apple GPU',
  'Mali-G78',
  'Intel(R) HD Graphics 400, or similar',
  'GeForce GTX 980, or similar',
  'Radeon R9 200 Series, or similar',
])('%s is hardware', (name) => {
  expect(isHardwareRenderer(name)).toBe(true);
});

test.each([
  'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)',
  'Google SwiftShader',
  'ANGLE (Microsoft, Microsoft Basic Render Driver (0x0000008C) Direct3D11 vs_5_0 ps_5_0, D3D11)',
  'ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0 WARP)',
  'ANGLE (Mesa, llvmpipe (LLVM 15.0.7, 256 bits), OpenGL 4.5)',
  'ANGLE (Mesa/X.org, llvmpipe (LLVM 11.0.1, 128 bits), OpenGL 4.5 (Core Profile) Mesa 20.3.5)',
  'llvmpipe, or similar',
  'softpipe',
  'zink Vulkan 1.3(llvmpipe (LLVM 17.0.6, 256 bits) (MESA_LLVMPIPE))',
  'Mesa OffScreen',
  'Software Rasterizer',
  'Apple Software Renderer',
])('%s is a processor in disguise', (name) => {
  expect(isHardwareRenderer(name)).toBe(false);
});

test.each([
  'ANGLE (VMware, Inc., SVGA3D; build: RELEASE; LLVM;, OpenGL 4.3)',
  'SVGA3D; build: RELEASE;  LLVM;',
  'ANGLE (Mesa, virgl (AMD Radeon RX 6600 (navi23, LLVM 15.0.7)), OpenGL 4.3)',
  'Parallels using AMD Radeon Pro 5500M OpenGL Engine (Compat)',
  'ANGLE (Apple, ANGLE Metal Renderer: Apple Paravirtual device, Unspecified Version)',
  'VirtualBox Graphics Adapter (Intel(R) UHD Graphics 620)',
])('%s is the card of a virtual machine', (name) => {
  expect(isHardwareRenderer(name)).toBe(false);
});

test.each(['', 'Mozilla', 'WebKit WebGL', 'Generic Renderer', 'Some Card Of The Future', 'Creative Station'])(
  'a name that says nothing, such as “%s”, does not count',
  (name) => {
    expect(isHardwareRenderer(name)).toBe(false);
  },
);
