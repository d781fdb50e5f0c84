import type { CastEnd, CastMatch, CastStop } from '#core/ports/casts.ts';
import type { PtySize } from '#core/ports/ssh.ts';

/** In order; an output consumes the next `bytes` of the buffer sent with the events. */
export type CastEvent = { readonly at_ms: number } & (
  | { bytes: number; readonly size?: undefined }
  | { readonly size: PtySize; readonly bytes?: undefined }
);

export interface CastState {
  readonly end: CastEnd;
  readonly stopped: CastStop | undefined;
  /** Bytes of a character that is not complete yet: they are not in the file. */
  readonly held_bytes: number;
  /** The system's error message. */
  readonly reason?: string | undefined;
}

/** Calls to the thread that writes recordings (writing-thread.mjs). */
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
  /** Continues a file that was `size_bytes` long; what follows is cut off. */
  readonly reopen: {
    readonly request: {
      readonly id: number;
      /** Absolute. */
      readonly file: string;
      readonly size_bytes: number;
      readonly max_bytes: number | undefined;
    };
    readonly response: CastState;
  };
  readonly write: {
    readonly request: {
      readonly id: number;
      readonly events: readonly CastEvent[];
      readonly buffer: ArrayBuffer;
      /** No more may be written: ends the recording as a full disk does. */
      readonly is_full: boolean;
    };
    /** Returns the buffer for reuse. */
    readonly response: CastState & { readonly buffer: ArrayBuffer };
  };
  /** Closes the file as it is. */
  readonly abandon: { readonly request: { readonly id: number }; readonly response: undefined };
  readonly close: { readonly request: { readonly id: number }; readonly response: CastState };
}

/** Calls to the thread that reads recordings (reading-thread.mjs). */
export interface ReadingVerbs {
  /** `file`: an absolute path or the signed URL of an object; so for each verb. */
  readonly digest: {
    readonly request: { readonly file: string; readonly most_bytes: number | undefined };
    readonly response: CastEnd;
  };
  readonly text: {
    readonly request: { readonly id: number; readonly file: string };
    readonly response: undefined;
  };
  readonly more: {
    readonly request: { readonly id: number };
    /** The buffer may be empty before the end. */
    readonly response: { readonly buffer: ArrayBuffer; readonly is_over: boolean };
  };
  readonly drop: { readonly request: { readonly id: number }; readonly response: undefined };
  readonly search: {
    readonly request: { readonly id: number; readonly file: string; readonly text: string };
    readonly response: undefined;
  };
  readonly find: {
    readonly request: { readonly id: number };
    readonly response: { readonly matches: readonly CastMatch[]; readonly is_over: boolean };
  };
  readonly drop_search: { readonly request: { readonly id: number }; readonly response: undefined };
}
