import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

const START = fileURLToPath(new URL('start.ts', import.meta.url));

/** Adds the script that runs before the first paint: not a module, which would run after the whole page is parsed. */
export function staticFrame(): Plugin {
  return {
    name: 'static-frame',
    apply: 'build',
    async buildStart() {
      this.emitFile({ type: 'asset', name: 'frame.js', source: await bundled() });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { path, bundle }) {
        if (path !== '/index.html') return [];
        const file = Object.keys(bundle ?? {}).find((name) => /frame-[\w-]+\.js$/.test(name));
        if (!file) throw new Error('The build has no script for the first paint');
        return [{ tag: 'script', attrs: { src: `./${file}` }, injectTo: 'head-prepend' as const }];
      },
    },
  };
}

async function bundled(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rollupOptions: { input: START, output: { format: 'iife' } },
    },
  });
  const [output] = [built].flat();
  const [chunk] = output && 'output' in output ? output.output : [];
  if (chunk?.type !== 'chunk') throw new Error('No script was built for the first paint');
  return chunk.code;
}
