/** What the gateway has learned about a host, for one connection. */
export interface HostMemory {
  refusals?: Promise<Refusals> | undefined;
  links?: DirectoryLinks | undefined;
}

/** Requests that the host refuses whatever they are about, as `internal-sftp -P rename` does. */
export interface Refusals {
  readonly rename: boolean;
  readonly remove: boolean;
  readonly mkdir: boolean;
}

/** A count; or why it is not known: the host does not report it, or its directory is not listed or huge. */
export type LinkCount = number | 'not_reported' | 'not_listed';

/** What the last listing of a directory said about hard links. */
export interface DirectoryLinks {
  readonly directory: string;
  readonly counts: ReadonlyMap<string, LinkCount>;
  readonly read_ms: number;
  readonly is_whole: boolean;
}
