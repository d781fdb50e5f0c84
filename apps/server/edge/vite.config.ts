import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** Bundles the edge and all its packages into web-standard modules. */
export default defineConfig({
  root,
  logLevel: 'warn',
  publicDir: false,
  define: { SALLYPORT_VERSION: JSON.stringify(version) },
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: 'dist/edge',
    emptyOutDir: true,
    target: 'es2022',
    sourcemap: true,
    rollupOptions: {
      input: { cloudflare: 'apps/server/edge/cloudflare.ts', lambda: 'apps/server/edge/lambda.ts' },
      output: {
        entryFileNames: '[name].mjs',
        chunkFileNames: '[name].mjs',
        codeSplitting: { groups: [{ name: 'edge', minShareCount: 2 }] },
      },
    },
  },
});
