import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Worker threads and processes, which Node loads as separate files from the folder of the server. */
const workers = {
  'writing-thread': 'apps/worker/recording/writing-thread.mjs',
  'reading-thread': 'apps/worker/recording/reading-thread.mjs',
  'json-thread': 'apps/server/http/json-thread.mjs',
  'screen-thread': 'apps/worker/screen/screen-thread.mjs',
  'key-process': 'apps/worker/ssh/keys/key-process.mjs',
};

/** Bundles the server and each worker; packages stay in node_modules. */
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
      input: { main: 'apps/server/main.ts', ...workers },
      output: {
        entryFileNames: ({ name }) => (name in workers ? '[name].mjs' : '[name].js'),
        chunkFileNames: '[name].mjs',
      },
    },
  },
});
