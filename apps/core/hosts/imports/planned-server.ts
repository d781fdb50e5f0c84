import type { ServerInput } from '../../model/server.ts';

/** Where an imported server's jump host is: another one of the same import, or one that is registered already. */
export type Jump =
  | { readonly kind: 'file'; readonly index: number }
  | { readonly kind: 'registry'; readonly id: number }
  | undefined;

export interface PlannedServer {
  readonly input: ServerInput;
  readonly jump: Jump;
}
