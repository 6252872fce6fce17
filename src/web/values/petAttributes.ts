import { PET_TAGS, type PetAttributes, type PetNumber, type PetText } from '../../shared/suv.ts';
import type { TagNode } from '../../shared/contract/tags.ts';
import { findItem, findNode, numbersOf } from '../pictures/tagNodes.ts';

const RADIOPHARMACEUTICAL_INFORMATION = '(0054,0016)';
const PHILIPS = 'Philips PET Private Group';

/** Reads the attributes of a PET image from its tags. An attribute without a readable value counts as absent. */
export function readPetAttributes(nodes: readonly TagNode[]): PetAttributes {
  const drug = findItem(nodes, RADIOPHARMACEUTICAL_INFORMATION);
  const find = (keyword: PetText | PetNumber) =>
    findNode(drug, PET_TAGS[keyword]) ?? findNode(nodes, PET_TAGS[keyword]);
  const text = (keyword: PetText) => textsOf(find(keyword))?.[0];
  const number = (keyword: PetNumber) => numbersOf(find(keyword))?.[0];
  return {
    Units: text('Units'),
    SUVType: text('SUVType'),
    CorrectedImage: textsOf(findNode(nodes, PET_TAGS.CorrectedImage)),
    DecayCorrection: text('DecayCorrection'),
    PatientWeight: number('PatientWeight'),
    RadionuclideTotalDose: number('RadionuclideTotalDose'),
    RadionuclideHalfLife: number('RadionuclideHalfLife'),
    RadiopharmaceuticalStartTime: text('RadiopharmaceuticalStartTime'),
    RadiopharmaceuticalStartDateTime: text('RadiopharmaceuticalStartDateTime'),
    SeriesDate: text('SeriesDate'),
    SeriesTime: text('SeriesTime'),
    AcquisitionDate: text('AcquisitionDate'),
    AcquisitionTime: text('AcquisitionTime'),
    FrameReferenceTime: number('FrameReferenceTime'),
    ActualFrameDuration: number('ActualFrameDuration'),
    PhilipsSUVScaleFactor: philipsNumber(nodes, '00'),
    PhilipsActivityConcentrationScaleFactor: philipsNumber(nodes, '09'),
  };
}

function textsOf(node: TagNode | undefined): readonly string[] | undefined {
  if (node?.value.type === 'string') return [node.value.value];
  return node?.value.type === 'strings' ? node.value.value : undefined;
}

/** The private block that belongs to Philips differs between files. */
function philipsNumber(nodes: readonly TagNode[], element: string): number | undefined {
  const isIt = new RegExp(`^\\(7053,..${element}\\)$`);
  const node = nodes.find(({ tag, creator }) => isIt.test(tag) && creator === PHILIPS);
  return numbersOf(node)?.[0];
}
