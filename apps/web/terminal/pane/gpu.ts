import type { Terminal } from '@xterm/xterm';
import type { RendererChoice } from '../../app/preferences.ts';

const IN_SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|software|basic render|\bwarp\b|gdi generic/i;

let has_gpu: boolean | undefined;

/** Whether a terminal is drawn with WebGL. */
export function drawsWithGpu(renderer: RendererChoice): boolean {
  if (renderer !== 'auto') return false;
  has_gpu ??= hasGpu(); // asking takes longer than a frame
  return has_gpu;
}

/** False if WebGL is emulated: 20 MB of output then take 30 s and more, 5 s with the DOM renderer. */
function hasGpu(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const name = gl.getParameter(
    gl.getExtension('WEBGL_debug_renderer_info')?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER,
  );
  gl.getExtension('WEBGL_lose_context')?.loseContext(); // browsers allow few contexts
  return !isSoftware(String(name));
}

/** Whether this name of a renderer is that of an emulator. */
export function isSoftware(name: string): boolean {
  return IN_SOFTWARE.test(name);
}

/** Draws with the GPU until its context is lost, then with the DOM renderer. */
type DrawWithGpu = (terminal: Terminal, refit: () => void) => void;

export async function loadGpu(): Promise<DrawWithGpu | undefined> {
  const { WebglAddon } = await import('@xterm/addon-webgl').catch(() => ({ WebglAddon: undefined }));
  if (!WebglAddon) return undefined;
  return (terminal, refit) => {
    try {
      const webgl = new WebglAddon();
      webgl.onContextLoss(() => {
        webgl.dispose();
        refit(); // cell widths differ between renderers
      });
      terminal.loadAddon(webgl);
    } catch {
      // keep the DOM renderer
    }
  };
}
