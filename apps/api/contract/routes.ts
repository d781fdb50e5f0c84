import * as auth from './auth.ts';
import type { AppRoute } from './define.ts';
import * as files from './files.ts';
import * as servers from './servers.ts';
import * as terminals from './terminals.ts';

/** The operations that need Node (argon2, SSH, sockets) or end connections: an edge forwards these to its worker. */
export const WORKER_ROUTES: readonly AppRoute[] = [
  ...Object.values(auth),
  servers.createServer,
  servers.updateServer,
  servers.deleteServer,
  servers.clearHostKey,
  servers.testServer,
  ...Object.values(files),
  ...Object.values(terminals),
];
