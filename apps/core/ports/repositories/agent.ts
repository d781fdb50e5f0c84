/** One row, which may be missing. */
export interface AgentSettingsRepository {
  /** Null before they are first saved. */
  get(): Promise<string | null>;
  /** False when the row no longer holds `expected`. */
  save(sealed: string, expected: string | null): Promise<boolean>;
}
