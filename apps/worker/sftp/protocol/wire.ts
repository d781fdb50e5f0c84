// Numbers of draft-ietf-secsh-filexfer-02.
export const INIT = 1;
export const OPEN = 3;
export const CLOSE = 4;
export const READ = 5;
export const WRITE = 6;
export const LSTAT = 7;
export const FSTAT = 8;
export const SETSTAT = 9;
export const FSETSTAT = 10;
export const OPENDIR = 11;
export const READDIR = 12;
export const REMOVE = 13;
export const MKDIR = 14;
export const RMDIR = 15;
export const REALPATH = 16;
export const STAT = 17;
export const RENAME = 18;
export const READLINK = 19;
export const SYMLINK = 20;
export const EXTENDED = 200;

export const VERSION = 2;
export const STATUS = 101;
export const HANDLE = 102;
export const DATA = 103;
export const NAME = 104;
export const ATTRS = 105;
export const EXTENDED_REPLY = 201;

export const STATUS_OK = 0;
export const STATUS_EOF = 1;
export const STATUS_UNSUPPORTED = 8;

export const PROTOCOL_VERSION = 3;
export const MAX_PACKET_BYTES = 256 * 1024; // OpenSSH's limit; the draft demands 34,000 bytes

/** Linux accepts no longer path. A longer name or path of a host cannot be used. */
export const MAX_PATH_BYTES = 4096;

export const ATTR_SIZE = 0x1;
export const ATTR_OWNER = 0x2;
export const ATTR_MODE = 0x4;
export const ATTR_TIMES = 0x8;
export const ATTR_EXTENDED = 0x80000000;

export const OPEN_FLAGS = {
  r: 0x1, // READ
  'r+': 0x1 | 0x2, // READ, WRITE
  w: 0x2, // WRITE: an existing file, which stays as long as it is
  wt: 0x2 | 0x8 | 0x10, // WRITE, CREAT, TRUNC, as `sftp put` opens a file
  wx: 0x2 | 0x8 | 0x10 | 0x20, // WRITE, CREAT, TRUNC, EXCL; servers built on ssh2 know this combination only
} as const;
