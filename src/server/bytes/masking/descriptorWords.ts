/**
 * Words that describe an examination and are no name of a person: parts of the body, directions, techniques, contrast,
 * phases, kinds of reconstructions. A word that is not here is removed from descriptions, in whatever language.
 */
export const DESCRIPTOR_WORDS: ReadonlySet<string> = new Set(
  `abdomen abdominal abd acetabulum adrenal ankle aorta aortic arm arms atrium axilla bladder bone bones bowel brain breast
  bronchus calcaneus cardiac carotid cerebral cervical cervix chest clavicle coccyx colon coronary cranial cranium cspine
  duodenum ear elbow esophagus extremity eye eyes face facial femoral femur fetal fibula finger foot forearm gallbladder hand
  hands head heart hepatic hip hips humerus iac kidney kidneys knee knees larynx leg legs liver lspine lumbar lung lungs
  mandible maxilla mediastinum nasal neck nose orbit orbits ovary pancreas pancreatic parotid patella pelvic pelvis penis
  pituitary prostate pulmonary radius rectal rectum renal rib ribs sacrum scapula shoulder sinus sinuses skull spine spleen
  sternum stomach testis thigh thoracic thorax thumb thyroid tibia toe toes tongue trachea tspine ulna ureter urethra uterus
  vagina vascular vein venous ventricle vertebra wb whole wholebody body wrist
  ax axial axials tra trans transverse transversal cor coronal sag sagittal obl oblique lat lateral ap pa ll cc mlo rl lr
  left right bilateral anterior posterior superior inferior dorsal ventral proximal distal upper lower middle prone supine
  decubitus feet first in out
  ct cta ctp ctpa ctv mr mri mra mrv mrs mrcp pt pet spect nm us cr dr dx mg xa rf rt ot sc seg sr pr ko rtstruct rtplan rtdose
  rtss xray fluoro angio angiography ultrasound doppler mammo mammography tomo tomosynthesis radiograph scintigraphy
  t1 t1w t2 t2w t1rho pd pdw pdt2 flair stir spair spir fs fatsat fat sat sup suppressed suppression water wfs dixon ideal
  dwi adc dti trace fa eadc ivim diffusion perfusion asl dsc dce bold fmri epi se tse fse ssfse haste gre ge spgr flash fspgr
  vibe lava thrive mprage mp2rage bravo space cube vista swi swan qsm venbold mip minip phase mag magnitude real imaginary
  tof pc ssfp trufi fiesta bssfp bh resp gated gating triggered navigator breath hold free breathing radial propeller blade
  motion cine tagging lge late enhancement mapping map maps field b0 b1 shim localizer localiser loc scout survey scanogram
  topogram surview plan test calibration cal ref reference
  pre post contrast con without with wo w native nonenhanced enhanced unenhanced plain gd gad gadolinium iodine iodinated oral
  iv arterial portal delayed delay late early equilibrium nephrographic excretory venous dynamic bolus tracking timing premonitoring
  monitoring baseline followup
  fdg psma dotatate amyloid tau tc99m ga68 f18 c11 n13 o15 rb82 i123 i131 lu177 ac nac attenuation corrected uncorrected
  emission transmission static suv
  recon reconstruction reformat mpr cpr vrt vr thick thin slab slice slices axials series stack volume vol std standard
  soft tissue lung bone sharp smooth kernel hr hrct high low res resolution dose lowdose ld iterative fbp asir idose
  sub subtraction subtracted diff average averaged mean sum summed derived secondary capture screen save report summary results
  result parametric color colour fused fusion registered resampled segmentation segment segments mask masks label labels
  structure structures set roi rois contour contours plan dose beam field tumor tumour lesion node nodes cyst nodule mass
  metastasis infarct stroke hemorrhage bleed trauma fracture screening diagnostic routine protocol exam examination study scan
  acquisition acq image images view views single multi multiple dual energy de keV kv mono monoenergetic virtual spectral
  2d 3d 4d 5d cube iso isotropic fov small large full half limited complete
  and of for the to at from after before during only both all none no yes
  a b c d e f g h l m n p q r s t v x y z
  b0 b50 b100 b200 b400 b500 b600 b800 b1000 b1200 b1500 b2000 b3000`
    .split(/\s+/)
    .map((word) => word.toLowerCase()),
);
