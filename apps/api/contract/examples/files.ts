import { AT, LATER } from './times.ts';

const path = '/srv/site/index.html';
const etag = '"2cf24dba5fb0a30e"';
const entry = {
  name: 'index.html',
  path,
  is_dir: false,
  is_symlink: false,
  link_target: null,
  size: 4821,
  permissions: '-rw-r--r--',
  owner: '1000',
  group: '1000',
  modified: AT,
  addressable: true,
};
const member = {
  name: 'site/index.html',
  size: 4821,
  compressed_size: 1630,
  modified: AT,
  is_dir: false,
  is_link: false,
  is_encrypted: false,
  is_supported: true,
};
const copied = { path: '/backup/site', bytes: 48210, files: 12, skipped: [], skipped_count: 0 };
const upload = { id: 'dXBsb2Fk', path: '/srv/site/video.mp4', length: 104857600, expires_at: LATER };
const old_copy = { path: '/srv/site/.sallyport-LPJNulwow4-m6DsqxbnkZ2q.old', size: 4790, modified: AT };

export const FILES = {
  Home: { path: '/home/deploy' },
  Listing: { path: '/srv/site', entries: [entry], users: { 1000: 'deploy' }, groups: { 1000: 'deploy' } },
  DirectoryEntry: entry,
  TextFile: { path, content: '<!doctype html>\n', etag, size: 16, is_writable: true },
  Found: { path: '/srv', entries: [entry], truncated: false },
  TypedCredentials: { username: 'deploy', password: 'correct horse battery staple' },
  Connected: { connected: true },
  ZipInput: { paths: ['/srv/site', '/srv/notes.txt'], base_path: '/srv' },
  WriteInput: { path, content: '<!doctype html>\n' },
  Saved: { path, status: 'saved', etag, in_place: false, is_mode_kept: true },
  OldCopy: old_copy,
  OldCopies: { path, real_path: path, copies: [old_copy] },
  RestoreInput: { path, copy_path: old_copy.path },
  Restored: { path, status: 'restored', size: 4790 },
  MkdirInput: { path: '/srv/site/images', parents: true },
  DirectoryMade: { path: '/srv/site/images', status: 'created' },
  RenameInput: { old_path: path, new_path: '/srv/site/start.html' },
  Renamed: { old_path: path, new_path: '/srv/site/start.html', status: 'renamed' },
  Deleted: { path, status: 'deleted' },
  ChmodInput: { path, mode: '0644' },
  ModeChanged: { path, mode: '0644', status: 'changed' },
  CopyInput: { source_path: '/srv/site', target_server_id: 2, target_path: '/backup/site' },
  Copied: copied,
  CopyEvent: { type: 'progress', bytes: 4821, files: 1, path, total_bytes: 48210, total_files: 12 },
  ArchiveListing: { path: '/srv/site.zip', entries: [member], truncated: false },
  ArchiveEntry: member,
  ExtractInput: { path: '/srv/site.zip', target_path: '/srv/site' },
  ExtractEvent: {
    type: 'progress',
    bytes: 4821,
    files: 1,
    path: 'site/index.html',
    total_bytes: 48210,
    total_files: 12,
  },
  Uploaded: { uploaded: [path], count: 1 },
  UploadEntry: upload,
  UploadState: { ...upload, offset: 52428800, metadata: 'filename dmlkZW8ubXA0' },
};
