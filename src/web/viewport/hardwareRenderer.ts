/** Who makes graphics cards that are faster at tables than a processor is. */
const HARDWARE = /\b(nvidia|geforce|quadro|amd|ati|radeon|intel|apple|adreno|mali|powervr|xclipse)\b/i;

/** A processor that pretends to be a graphics card, or a virtual machine's card, also where it names the real one. */
const SOFTWARE =
  /swiftshader|llvmpipe|softpipe|swrast|software|basic render|\bwarp\b|offscreen|svga|vmware|virtualbox|virgl|virtio|parallels|paravirtual/i;

/**
 * Whether the name that WebGL gives its renderer is that of real hardware. A name that says nothing does not count: drawing
 * on a processor in the disguise of a graphics card takes nine times as long as drawing on it directly.
 */
export function isHardwareRenderer(name: string): boolean {
  return HARDWARE.test(name) && !SOFTWARE.test(name);
}
