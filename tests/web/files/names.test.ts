import { expect, it } from 'vitest';
import { filtered } from '../../../apps/web/files/list/entries.ts';
import { lookOf } from '../../../apps/web/files/list/look.ts';
import { spelledName } from '../../../apps/web/lib/paths.ts';
import { entry } from './entries.ts';

it('filters names by a text, ignoring case', () => {
  const entries = ['Nginx.conf', 'notes', 'b.CONF'].map((name) => entry(name));
  expect(filtered(entries, ' conf ').map(({ name }) => name)).toEqual(['Nginx.conf', 'b.CONF']);
  expect(filtered(entries, '')).toBe(entries);
});

it.each([
  ['photo.JPG', 'image'],
  ['backup.tar.gz', 'archive'],
  ['id_ed25519', 'key'],
  ['nginx.conf', 'config'],
  ['main.rs', 'code'],
  ['README', 'text'],
  ['deploy.sh', 'script'],
  ['unknown.xyz', 'other'],
])('gives %s an icon by its type: %s', (name, look) => {
  expect(lookOf(name)).toBe(look);
});

it('tells names apart that are not UTF-8 and look the same', () => {
  expect(['bytes:/srv/caf%E9', 'bytes:/srv/caf%E8'].map(spelledName)).toEqual(['caf%E9', 'caf%E8']);
});
