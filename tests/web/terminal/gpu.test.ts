import { expect, it } from 'vitest';
import { isSoftware } from '../../../apps/web/terminal/pane/gpu.ts';

it.each([
  ['ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)', true],
  ['llvmpipe (LLVM 15.0.7, 256 bits)', true],
  ['Apple Software Renderer', true],
  ['ANGLE (Microsoft, Microsoft Basic Render Driver Direct3D11 vs_5_0 ps_5_0, D3D11)', true],
  ['ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)', false],
  ['ANGLE (Apple, ANGLE Metal Renderer: Apple M1, Unspecified Version)', false],
  ['Mozilla', false],
])('the renderer %s is emulated: %s', (name, expected) => {
  expect(isSoftware(name)).toBe(expected);
});
