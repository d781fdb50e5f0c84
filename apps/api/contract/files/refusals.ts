import { SFTP_START_CODES } from '#core/errors.ts';
import { REACH_REFUSALS } from '../hosts/reach.ts';

/** What any file operation may refuse. */
export const FILE_REFUSALS = [
  'server_not_found',
  'sftp_disabled',
  'invalid_path',
  'path_outside_allowed',
  'permission_denied',
  'file_not_found',
  'not_a_directory',
  'not_a_file',
  'unaddressable_name',
  'name_too_long',
  ...REACH_REFUSALS,
  ...SFTP_START_CODES,
  'sftp_failed',
  'transfer_ended', // a right was withdrawn, or the server was edited
] as const;

/** What any change to files may refuse. */
export const WRITE_REFUSALS = [
  ...FILE_REFUSALS,
  'sftp_read_only',
  'allowed_directory',
  'invalid_name',
  'already_exists',
  'remote_disk_full',
  'remote_read_only',
] as const;
