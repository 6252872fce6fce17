import type { RegionTool } from '../../../kit/state/tools.ts';

/** What a user can set of a tool before its result is taken. */
export type MaskField = 'range' | 'radius' | 'least' | 'other' | 'scope';

type MaskTool = {
  /** In menus, the palette and above the preview. */
  readonly title: string;
  /** Absent: it begins with a click on the image. */
  readonly key?: string;
  readonly fields: readonly MaskField[];
};

/** Tools that change a mask in one step, which is shown before it is taken. */
const MASK_TOOLS = {
  region: { title: 'Grow a region in this image', fields: ['range'] },
  regionVolume: { title: 'Grow a region in the volume', fields: ['range'] },
  assistant: { title: 'Mask of an assistant', fields: [] },
  threshold: { title: 'Threshold inside the selected shape', key: 'Alt+T', fields: ['range'] },
  holes: { title: 'Fill holes of the mask', key: 'Alt+H', fields: ['scope'] },
  islands: { title: 'Remove islands of the mask', key: 'Alt+I', fields: ['least', 'scope'] },
  largest: { title: 'Keep the largest part of the mask', key: 'Alt+K', fields: ['scope'] },
  grow: { title: 'Grow the mask', key: 'Alt+W', fields: ['radius', 'scope'] },
  shrink: { title: 'Shrink the mask', key: 'Alt+N', fields: ['radius', 'scope'] },
  smooth: { title: 'Smooth the mask', key: 'Alt+S', fields: ['radius', 'scope'] },
  unite: { title: 'Add another mask to this one', key: 'Alt+U', fields: ['other', 'scope'] },
  subtract: { title: 'Subtract another mask from this one', key: 'Alt+X', fields: ['other', 'scope'] },
  intersect: {
    title: 'Keep what this mask and another have in common',
    key: 'Alt+Shift+X',
    fields: ['other', 'scope'],
  },
  copyNext: { title: 'Copy the mask to the next image', key: 'Alt+Shift+Down', fields: [] },
  copyPrevious: { title: 'Copy the mask to the previous image', key: 'Alt+Shift+Up', fields: [] },
} satisfies Readonly<Record<string, MaskTool>>;

export type MaskToolName = keyof typeof MASK_TOOLS;

/** Those that begin with a command and not with a click. */
export type MaskCommandName = Exclude<MaskToolName, RegionTool | 'assistant'>;

export function maskToolOf(name: MaskToolName): MaskTool {
  return MASK_TOOLS[name];
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of an object that nothing else adds to
const NAMES = Object.keys(MASK_TOOLS) as MaskToolName[];

/** In the order of menus. */
export function listMaskCommands(): readonly (MaskTool & { readonly name: MaskCommandName; readonly key: string })[] {
  return NAMES.flatMap((name) => {
    const tool = maskToolOf(name);
    return name === 'region' || name === 'regionVolume' || name === 'assistant' || tool.key === undefined
      ? []
      : [{ ...tool, key: tool.key, name }];
  });
}
