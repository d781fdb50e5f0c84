import { defineConfig } from 'vite';

const root = new URL('../..', import.meta.url).pathname;

/** The server as one file; packages stay in node_modules. */
export default defineConfig({
  root,
  logLevel: 'warn',
  publicDir: false,
  build: {
    ssr: 'apps/server/main.ts',
    outDir: 'dist/server',
    emptyOutDir: true,
    target: 'node20',
    sourcemap: true,
  },
});
