import type { ServerInput } from '../../../model/hosts/server.ts';

/** A server to be created. */
export interface NewServer {
  readonly kind: 'new';
  readonly input: ServerInput;
  readonly via: Draft | undefined;
  /** Jump hosts before it. */
  readonly depth: number;
  /** For a jump host without a section of its own: the host that names it. */
  readonly wanted_by?: string;
}

/** A server to be created, or one that the gateway has. */
export type Draft =
  | NewServer
  | { readonly kind: 'registry'; readonly id: number; readonly name: string; readonly depth: number };

export function nameOf(draft: Draft): string {
  return draft.kind === 'new' ? draft.input.name : draft.name;
}

/** Why a host is left out. */
export interface Blocked {
  readonly kind: 'blocked';
  /** The host that is the cause: the host itself, or a jump host. */
  readonly alias: string;
  readonly reason: string;
  readonly line: number | undefined;
  readonly is_loop?: true;
}
