/** Output that a gateway has not acknowledged; beyond it the shell is paused. */
export const OUTPUT_WINDOW_BYTES = 256 * 1024;
export const ACK_OUTPUT_EVERY_BYTES = 64 * 1024;

/** Input that the host has not taken. */
export const INPUT_WINDOW_BYTES = 256 * 1024;
/** Less than half of the window, so that an acknowledgement always comes before the window is used up. */
export const ACK_INPUT_EVERY_BYTES = 32 * 1024;
