/** Keeps lines on disk for the time when the database is unavailable; one file for each run of an instance. */
export interface AuditSpool {
  /** Resolves when the lines are on disk. */
  append(lines: readonly string[]): Promise<void>;
  /** Removes the file of this run. */
  clear(): Promise<void>;
  /** Shows other instances that this run continues, and takes over the files of runs that have ended. */
  claim(): Promise<OrphanedSpool[]>;
}

/** The file of a run that has ended. */
export interface OrphanedSpool {
  readonly name: string;
  /** Complete lines in order; undefined when the file is not one that a gateway wrote. */
  lines(): Promise<string[] | undefined>;
  remove(): Promise<void>;
  /** Keeps it under another name, which no gateway reads. */
  setAside(): Promise<void>;
}
