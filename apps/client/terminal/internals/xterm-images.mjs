// @ts-check

/**
 * Whether the image add-on can decode: it compiles its decoder in the background without a signal, and drops images until then.
 * @param {object} addon
 */
export function hasDecoder(addon) {
  /** @type {any} */
  const { _handlers: handlers } = /** @type {any} */ (addon);
  const sixel = handlers instanceof Map ? handlers.get('sixel') : undefined;
  if (typeof sixel !== 'object' || sixel === null)
    throw new Error('This version of the image add-on has no decoder');
  return sixel._dec !== undefined;
}
