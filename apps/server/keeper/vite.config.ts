import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Bundles the keeper next to the server, by itself: a chunk that both share would create schemas before
 * `@hono/zod-openapi` has extended zod.
 */
export default defineConfig({
  root,
  logLevel: 'warn',
  publicDir: false,
  build: {
    ssr: true,
    outDir: 'dist/server',
    emptyOutDir: false,
    target: 'node20',
    sourcemap: true,
    rollupOptions: {
      input: { keeper: 'apps/server/keeper/process.ts' },
      output: { entryFileNames: '[name].js', chunkFileNames: 'keeper-[name].mjs' },
    },
  },
});
