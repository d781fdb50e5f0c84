import { describe, expect, it } from 'vitest';
import { isDrawnText, kindOfFile } from '../../../apps/web/files/viewer/kind.ts';

describe('a file is shown', () => {
  it.each([
    ['photo.JPG', 'image'],
    ['logo.svg', 'image'],
    ['paper.pdf', 'pdf'],
    ['song.flac', 'audio'],
    ['film.webm', 'video'],
    ['main.ts', 'text'], // not MPEG-TS
    ['notes', 'text'],
    ['archive.tar.gz', 'text'], // until its bytes say otherwise
    ['.png', 'image'],
  ])('%s as %s', (name, kind) => {
    expect(kindOfFile(name)).toBe(kind);
  });

  it('as text too when the image format is text', () => {
    expect([isDrawnText('a.svg'), isDrawnText('a.png')]).toEqual([true, false]);
  });
});
