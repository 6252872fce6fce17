/** Makers of graphics cards that apply tables faster than a processor. */
const HARDWARE = /\b(nvidia|geforce|quadro|amd|ati|radeon|intel|apple|adreno|mali|powervr|xclipse)\b/i;

/** Software renderers and the cards of virtual machines, even where they name the real card. */
const SOFTWARE =
  /swiftshader|llvmpipe|softpipe|swrast|software|basic render|\bwarp\b|offscreen|svga|vmware|virtualbox|virgl|virtio|parallels|paravirtual/i;

/**
 * Whether the renderer name of WebGL is that of real hardware. An unknown name does not count, because WebGL emulated
 * on a processor takes nine times as long as drawing on the processor directly.
 */
export function isHardwareRenderer(name: string): boolean {
  return HARDWARE.test(name) && !SOFTWARE.test(name);
}
