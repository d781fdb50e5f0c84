/** Read each time they are needed: the settings may change while the session runs. */
export interface SessionLimits {
  /** How long the shell keeps running after the owner's socket drops. */
  readonly resume_ms: number;
  /** Without input and output; undefined for no limit. */
  readonly idle_ms: number | undefined;
}
