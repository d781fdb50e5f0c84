/** Something that the user attaches to a question. */
export interface Attachment {
  readonly kind: 'selection' | 'screen' | 'error';
  readonly text: string;
}

export const MOST_QUESTION = 8000;
export const MOST_CONTEXT = 32_000;
const ROOM_FOR_TITLE = 100;

/** The attachments as one text, each below its title. The end of a long one matters most: it is the newest output. */
export function contextOf(
  attachments: readonly Attachment[],
  titleOf: (attachment: Attachment) => string,
): string | undefined {
  if (attachments.length === 0) return undefined;
  const room = Math.floor(MOST_CONTEXT / attachments.length) - ROOM_FOR_TITLE;
  return attachments
    .map(
      (attachment) =>
        `${titleOf(attachment).slice(0, ROOM_FOR_TITLE - 10)}:\n${endOf(attachment.text, room)}`,
    )
    .join('\n\n');
}

function endOf(text: string, length: number): string {
  return text.length > length ? `…${text.slice(1 - length)}` : text;
}
