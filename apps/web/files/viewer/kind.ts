/** How a file is shown. `text` is only a guess until its bytes are read. */
export type FileKind = 'text' | 'image' | 'pdf' | 'audio' | 'video' | 'archive';

// Types that Chromium, Firefox and Safari can display. The gateway serves them inline.
const ENDINGS: readonly (readonly [FileKind, RegExp])[] = [
  ['image', /\.(png|apng|jpe?g|jfif|gif|webp|avif|bmp|ico|svg)$/i],
  ['pdf', /\.pdf$/i],
  ['audio', /\.(mp3|m4a|aac|oga|ogg|opus|wav|flac|weba)$/i],
  ['archive', /\.(zip|jar|war|whl|apk|epub)$/i],
  ['video', /\.(mp4|m4v|webm|ogv|mov|mkv)$/i],
];

export function kindOfFile(name: string): FileKind {
  return ENDINGS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'text';
}

/** A ZIP archive, whose members can be shown and extracted. */
export function isArchive(name: string): boolean {
  return kindOfFile(name) === 'archive';
}

/** SVG: an image that is also text. */
export function isDrawnText(name: string): boolean {
  return /\.svg$/i.test(name);
}
