import type { Settings } from './settings.ts';

/** A `Host` section, or the lines before the first. */
export interface Block {
  /** Where it begins. */
  readonly line: number;
  readonly patterns: readonly string[];
  settings: Settings;
}

export interface Place extends Block {
  readonly index: number;
}
