import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import solid from 'vite-plugin-solid';

const directory = (path: string) => new URL(path, import.meta.url).pathname;

/** The server sends the compressed neighbour when there is one. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (!/\.(js|css|svg)$/.test(file.fileName)) continue;
        const source = gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 });
        this.emitFile({ type: 'asset', fileName: `${file.fileName}.gz`, source });
      }
    },
  };
}

/** The pages; every link is relative, so that any path prefix works. */
export default defineConfig({
  root: directory('.'),
  base: './',
  logLevel: 'warn',
  plugins: [solid(), compressed()],
  build: {
    outDir: directory('../../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false }, // it would be an inline script
    rollupOptions: { input: { index: directory('index.html'), docs: directory('docs.html') } },
  },
});
