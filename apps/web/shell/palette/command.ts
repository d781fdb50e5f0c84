import type { Server } from '../../servers/servers.ts';

export interface Command {
  readonly title: string;
  readonly hint: string;
  /** The server it opens. */
  readonly server?: Server;
  run(how?: 'files' | 'beside'): void;
}
