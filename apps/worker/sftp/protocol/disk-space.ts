/** What an account without privileges may still use of a file system. */
export interface DiskSpace {
  readonly free_bytes: number;
  /** Infinite where files are not counted. */
  readonly free_files: number;
}

/** Of `statvfs@openssh.com`, as in statvfs(3). */
export interface ToldSpace {
  readonly frsize: number;
  readonly bavail: number;
  readonly files: number;
  readonly favail: number;
}

export function toDiskSpace({ frsize, bavail, files, favail }: ToldSpace): DiskSpace {
  return { free_bytes: frsize * bavail, free_files: files === 0 ? Number.POSITIVE_INFINITY : favail };
}
