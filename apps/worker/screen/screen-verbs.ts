import type { PtySize } from '#core/ports/ssh.ts';

/** A size, or the next `bytes` of the buffer beside it. */
export type ScreenOrderStep =
  | { readonly size: PtySize; readonly bytes?: undefined }
  | { readonly bytes: number; readonly size?: undefined };

/** What the thread that draws screens does (screen-thread.mjs). */
export interface ScreenVerbs {
  readonly render: {
    readonly request: {
      readonly steps: readonly ScreenOrderStep[];
      readonly buffer: ArrayBuffer;
      /** What has scrolled off as well. */
      readonly scrollback: boolean;
    };
    readonly response: { readonly buffer: ArrayBuffer };
  };
}
