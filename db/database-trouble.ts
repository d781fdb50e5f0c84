import { errorCode } from './driver-errors.ts';

const RIGHTS =
  'The user that runs the gateway must be able to read and write the file, the files beside it, and its directory';
const COPY =
  'Stop every gateway that uses it, put back a complete copy, and delete the files beside it that end in -wal and -shm';

/** By the beginning of the code of SQLite or of the system. */
const ADVICE: readonly (readonly [string, string])[] = [
  [
    'SQLITE_CORRUPT',
    `The file is damaged, or was replaced or cut short while a gateway was running. ${COPY}`,
  ],
  ['SQLITE_NOTADB', `Check SERVICE_DB_URL. ${COPY}; to begin with an empty database, move the file away`],
  ['SQLITE_READONLY_DBMOVED', `The file was moved or replaced while a gateway was running. ${COPY}`],
  ['SQLITE_READONLY', `The file is read-only. ${RIGHTS}`],
  ['SQLITE_IOERR', `The file was cut short while a gateway was running, or the disk fails. ${COPY}`],
  ['SQLITE_CANTOPEN', RIGHTS],
  ['SQLITE_PERM', RIGHTS],
  ['EACCES', RIGHTS],
  ['EPERM', RIGHTS],
  ['EROFS', 'The file system is read-only. Set SERVICE_DATA_DIR or SERVICE_DB_URL to another directory'],
  ['EISDIR', 'SERVICE_DB_URL must name a file, not a directory'],
  ['ENOTDIR', 'SERVICE_DB_URL must name a file in a directory'],
  ['EEXIST', 'SERVICE_DB_URL must name a file in a directory'],
];

/** What to do about a file that cannot be used, as the end of a message; empty for any other error. */
export function adviceOn(error: unknown): string {
  const code = errorCode(error);
  const [, advice] = ADVICE.find(([start]) => code.startsWith(start)) ?? [];
  return advice === undefined ? '' : `. ${advice}`;
}

/** True if SQLite objects to the file, not to a statement. */
export function isFileTrouble(error: unknown): boolean {
  return errorCode(error).startsWith('SQLITE_') && adviceOn(error) !== '';
}
