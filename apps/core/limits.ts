/** Limits that error messages name; each feature enforces its own. */

export const LARGE_ANSWER_BYTES = 256 * 1024; // listings and texts beyond this take turns

// Per user.
export const MAX_API_KEYS = 100;
export const MAX_SNIPPETS = 1000;
export const MAX_DOWNLOADS = 100; // each holds a file open on the host, and a read-ahead buffer
export const MAX_UPLOADS = 500; // unfinished
export const MAX_EXTRACTIONS = 5; // each holds the list of up to 100,000 members
export const MAX_WAITING_ARCHIVES = 100; // lists and extractions that wait for the archives before them
export const MAX_GUEST_SEATS = 100; // in terminals of others, and as another member of own ones
export const MAX_PENDING_DIALS = 4; // quick connects whose shell is not open yet
export const MAX_DIALS_PER_MINUTE = 30; // quick connects
export const MAX_TURNS = 3; // questions that the agent is answering

export const MAX_WEBHOOKS = 100;
export const MAX_HOPS = 8; // jump hosts before the server
export const MAX_TERMINAL_MEMBERS = 50; // each is sent every change of the list
export const TEXT_LIMIT_BYTES = 8 * 1024 * 1024; // files opened in the editor
export const MOST_BUNDLE_MIB = 32; // of a backup as JSON

// Bounds of a ZIP archive on a host.
export const MAX_ARCHIVE_MEMBERS = 100_000; // as many entries as a listing is made for; also of directories
export const MAX_ARCHIVE_DIRECTORY_MIB = 32;
export const MAX_MEMBER_NAME_BYTES = 4096; // no path of Linux is longer; 65,535 could be stored
export const MAX_EXTRACT_PATHS_MIB = 32; // all paths that an extraction creates: 100,000 of 335 characters
export const MAX_EXTRACT_GIB = 64;
export const MAX_EXTRACT_RATIO = 200; // logs reach 50; the method cannot exceed 1,032
export const FREE_RATIO_MIB = 64; // what may be extracted at any ratio
export const FREE_RATIO_PERCENT = 10; // of the free space, too: an empty disk image shrinks 1,000-fold
