import type { CastEnd, CastStop } from '#core/ports/casts.ts';
import type { PtySize } from '#core/ports/ssh.ts';

/** In the order of the buffer beside it, of which an output takes the next `bytes`. */
export type CastEvent = { readonly at_ms: number } & (
  | { bytes: number; readonly size?: undefined }
  | { readonly size: PtySize; readonly bytes?: undefined }
);

export interface CastState {
  readonly end: CastEnd;
  readonly stopped: CastStop | undefined;
  /** Why, in the system's words. */
  readonly reason?: string | undefined;
}

/** What the thread that writes recordings does (writing-thread.mjs). */
export interface WritingVerbs {
  readonly open: {
    readonly request: {
      readonly id: number;
      /** Absolute. */
      readonly file: string;
      readonly header: object;
      readonly max_bytes: number | undefined;
    };
    readonly response: CastState;
  };
  readonly write: {
    readonly request: {
      readonly id: number;
      readonly events: readonly CastEvent[];
      readonly buffer: ArrayBuffer;
    };
    /** The buffer comes back. */
    readonly response: CastState & { readonly buffer: ArrayBuffer };
  };
  readonly close: { readonly request: { readonly id: number }; readonly response: CastState };
}

/** What the thread that reads recordings does (reading-thread.mjs). */
export interface ReadingVerbs {
  readonly digest: { readonly request: { readonly file: string }; readonly response: CastEnd };
  readonly text: {
    readonly request: { readonly id: number; readonly file: string };
    readonly response: undefined;
  };
  readonly more: {
    readonly request: { readonly id: number };
    /** The buffer may be empty before it is over. */
    readonly response: { readonly buffer: ArrayBuffer; readonly is_over: boolean };
  };
  readonly drop: { readonly request: { readonly id: number }; readonly response: undefined };
}
