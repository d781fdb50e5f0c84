import type { Granted } from '../access.ts';

export type CopySource = Granted<'copy_from'>;
export type CopyTarget = Granted<'copy_into'>;

/** Path of the copy on the target host. */
export interface CopyPlace {
  readonly real_path: string;
  /** The path as the caller wrote it. */
  readonly shown_path: string;
}
