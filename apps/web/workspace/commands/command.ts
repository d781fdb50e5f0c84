import type { Schemas } from '#client/client.ts';

export interface Command {
  readonly title: string;
  readonly hint: string;
  /** Other names that find it, separated by `, `. */
  readonly also?: string | undefined;
  /** The server it opens. */
  readonly server?: Schemas['Server'];
  /** Runs when the palette has given the focus back, because it moves it. */
  readonly is_late?: boolean;
  run(how?: 'files' | 'beside'): void;
}
