/** `--quick`: one round each, of less; for a look during work, not for a comparison. */
export const IS_QUICK = process.argv.includes('--quick');
