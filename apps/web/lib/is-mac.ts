/** Whether shortcuts have ⌘ and Option in place of Ctrl and Alt. */
export function isMac(): boolean {
  return /^Mac/.test(navigator.platform);
}
