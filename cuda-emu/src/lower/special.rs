//! Names of special registers.

use crate::ir::Sreg;

pub(super) fn sreg(n: &str) -> Option<Sreg> {
    Some(match n {
        "%tid.x" | "%tid" => Sreg::TidX,
        "%tid.y" => Sreg::TidY,
        "%tid.z" => Sreg::TidZ,
        "%ntid.x" | "%ntid" => Sreg::NtidX,
        "%ntid.y" => Sreg::NtidY,
        "%ntid.z" => Sreg::NtidZ,
        "%ctaid.x" | "%ctaid" | "%clusterid.x" => Sreg::CtaidX,
        "%ctaid.y" | "%clusterid.y" => Sreg::CtaidY,
        "%ctaid.z" | "%clusterid.z" => Sreg::CtaidZ,
        "%nctaid.x" | "%nctaid" | "%nclusterid.x" => Sreg::NctaidX,
        "%nctaid.y" | "%nclusterid.y" => Sreg::NctaidY,
        "%nctaid.z" | "%nclusterid.z" => Sreg::NctaidZ,
        "%laneid" => Sreg::LaneId,
        "%warpid" => Sreg::WarpId,
        "%nwarpid" => Sreg::NWarpId,
        "%smid" => Sreg::SmId,
        "%nsmid" => Sreg::NSmId,
        "%gridid" => Sreg::GridId,
        "%lanemask_lt" => Sreg::LtMask,
        "%lanemask_le" => Sreg::LeMask,
        "%lanemask_gt" => Sreg::GtMask,
        "%lanemask_ge" => Sreg::GeMask,
        "%lanemask_eq" => Sreg::EqMask,
        "%clock" => Sreg::Clock,
        "%clock_hi" => Sreg::ClockHi,
        "%clock64" => Sreg::Clock64,
        "%globaltimer" => Sreg::GlobalTimer,
        "%globaltimer_lo" => Sreg::GlobalTimerLo,
        "%globaltimer_hi" => Sreg::GlobalTimerHi,
        "%dynamic_smem_size" => Sreg::DynSize,
        "%total_smem_size" | "%aggr_smem_size" => Sreg::TotalSize,
        "%envreg1" => Sreg::Env1,
        "%envreg2" => Sreg::Env2,
        "%cluster_ctarank"
        | "%cluster_ctaid.x"
        | "%cluster_ctaid.y"
        | "%cluster_ctaid.z"
        | "%is_explicit_cluster" => Sreg::Zero,
        "%cluster_nctarank" | "%cluster_nctaid.x" | "%cluster_nctaid.y" | "%cluster_nctaid.z" => Sreg::One,
        "WARP_SZ" => Sreg::WarpSize,
        _ if n.starts_with("%envreg") || n.starts_with("%pm") => Sreg::Zero,
        _ => return None,
    })
}
