import { defineConfig } from 'vite';

const root = new URL('../..', import.meta.url).pathname;

/** Worker threads, which Node loads as separate files from the folder of the server. */
const threads = {
  'writing-thread': 'apps/worker/recording/writing-thread.mjs',
  'reading-thread': 'apps/worker/recording/reading-thread.mjs',
  'screen-thread': 'apps/worker/screen/screen-thread.mjs',
};

/** Bundles the server and each worker thread into one file; packages stay in node_modules. */
export default defineConfig({
  root,
  logLevel: 'warn',
  publicDir: false,
  build: {
    ssr: true,
    outDir: 'dist/server',
    emptyOutDir: true,
    target: 'node20',
    sourcemap: true,
    rollupOptions: {
      input: { main: 'apps/server/main.ts', ...threads },
      output: {
        entryFileNames: ({ name }) => (name in threads ? '[name].mjs' : '[name].js'),
        chunkFileNames: '[name].mjs',
      },
    },
  },
});
