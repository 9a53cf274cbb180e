/** RDMA verbs: reliable connections over InfiniBand, RoCE and VMware's PVRDMA. */
package org.parley.transport.verbs;
