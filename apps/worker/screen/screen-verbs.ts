import type { PtySize } from '#core/ports/ssh.ts';

/** A size, or the next `bytes` of the buffer sent with the steps. */
export type ScreenOrderStep =
  | { readonly size: PtySize; readonly by_guest: boolean; readonly bytes?: undefined }
  | { readonly bytes: number; readonly size?: undefined };

/** Calls to the thread that draws screens (screen-thread.mjs). */
export interface ScreenVerbs {
  readonly render: {
    readonly request: {
      readonly steps: readonly ScreenOrderStep[];
      readonly buffer: ArrayBuffer;
      /** Includes the scrollback. */
      readonly scrollback: boolean;
    };
    readonly response: { readonly buffer: ArrayBuffer };
  };
}
